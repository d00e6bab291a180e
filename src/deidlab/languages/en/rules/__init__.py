"""Rules for English notes."""
