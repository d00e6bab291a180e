"""Any detector in, the same protocol out: ours, other people's, a program, a service, or answers made
elsewhere.

    specification                 what a person typed -> which system
    opening                       the one list of kinds -> a system that answers
    process, service, recorded    how it is reached: JSON lines, HTTP, or a corpus with its answers
    worker + adapters/            the other end of a process: one file a system, for the Python that has it
    contract                      a question and an answer as JSON, and what is wrong with an answer
    cutting, asking               notes -> questions -> spans, failures and times
    naming, judging               a system's labels -> those of the gold; what it found beside the gold
    comparing, copies             the comparison; the same on notes in poorer shape and with other names
    masking                       `load_detector`: whatever can be compared can mask (tagging: as a model)
    members, together             several of them as one, the same for `compare`, `mask` and `detect`
    fingerprint, telling          what tells systems apart; the command that masks with them
"""
