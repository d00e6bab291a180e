"""From text to what a model sees, and back: words, tags, windows."""
