"""Systems compared on the same notes, as tables and a page: what people ask first comes first."""
