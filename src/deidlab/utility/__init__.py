"""Notes in, what masking costs and what it hides out: for each style, on the same notes.

clinical     text -> values, doses, scores and durations, by rule
keeping      notes and their masked copies -> how many of these are kept, and intervals between dates
learning     texts and labels -> a small classifier, and how well it does on notes that it did not see
attacking    notes with gold -> whether originals that were left can be told from surrogates
sampling     items for a person to look at, and what was said of them
measuring    the whole: notes -> masked in each style -> all of the above
"""
