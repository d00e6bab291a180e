"""Options, each written once: dataclasses that commands take whole."""

from deidlab.cli.options.declaring import option, takes_options

__all__ = ["option", "takes_options"]
