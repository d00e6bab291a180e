"""DeidLab from Python: what stands behind the names of `deidlab` itself, above every stage.

deidentifier (detect, mask) takes texts as they come: columns says what a row may be. score and study are
the functions behind the commands of the same names, without what only a terminal needs.
"""

from deidlab.easy.deidentifier import Deidentifier, load

__all__ = ["Deidentifier", "load"]
