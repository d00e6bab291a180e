"""What docs/extending.md says can be added is added here, each with a toy and without a change under src."""
