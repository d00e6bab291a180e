"""A run under way: what workers do, what is kept of it on disk, and the record that it leaves."""
