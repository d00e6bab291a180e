"""The records of a study in, its report out: sections of tables and pictures, in six formats."""
