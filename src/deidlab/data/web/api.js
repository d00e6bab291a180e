// Requests to this server, and their errors as one kind.

export class ApiError extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

async function request(path, options = {}) {
  let response;
  try {
    response = await fetch(path, { credentials: "same-origin", cache: "no-store", ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError(0, "unreachable", "The server cannot be reached. Nothing was saved.");
  }
  if (response.status === 401) {
    location.assign(`/login?next=${encodeURIComponent(location.pathname)}`);
  }
  let body = null;
  try {
    body = await response.json();
  } catch {
    // An answer without a body still has its status.
  }
  if (!response.ok) {
    throw new ApiError(response.status, body?.error ?? "error", body?.message ?? `The server said ${response.status}.`);
  }
  return body;
}

export const get = (path, options) => request(path, options);

const send = (method) => (path, body, options = {}) =>
  request(path, { method, headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), ...options });
export const post = send("POST");
export const put = send("PUT");
