"""Evidence of masking runs in, one folder that a third person can check out.

runs.py        a run's record -> what of it can be shown to others; its outputs against their digests
evidence.py    a file that was given (a protocol, a result, a card) -> facts for a table
software.py    the installed environment -> a list of software (CycloneDX)
  |
chain.py       entries, each with the digest of the one before and a signature (signing.py)
  |
folder.py      the folder: the chain, the files it names, the page, and a seal over them all
  |
verify.py      the folder again -> what is not as it was (approvals.py: who stands for it, and how long)
page.py        what people read (flow.py, threats.py: filled in from the runs)
"""
