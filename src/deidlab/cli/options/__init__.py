"""Options, each written once: dataclasses that commands take whole, one file a group.

What a stage below is told stands in its own settings (`Finding`, `Writing`, `MaskSettings`, `ReadSettings`),
whose fields are options as they are; the groups here are the command line's alone, or build such settings.
"""

from deidlab.cli.options.declaring import only_given, takes_options, without
from deidlab.options import COMMON, argument, option

__all__ = ["COMMON", "argument", "only_given", "option", "takes_options", "without"]
