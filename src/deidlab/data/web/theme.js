// Set before the first paint, so that a dark page never flashes white. Only preferences are ever stored.
(() => {
  const root = document.documentElement;
  const apply = (theme) => {
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
    else delete root.dataset.theme;
  };
  try {
    apply(localStorage.getItem("deidlab-theme"));
  } catch {
    // Storage may be switched off: the system's theme it is.
  }
})();
