"""One setting and a corpus in, one run folder out: fine-tuning, further pretraining, export.

Light modules (`settings`, `presets`, `record`) load at once; those that need torch load it when imported.
"""

import sys
from types import ModuleType
from typing import Any

from deidlab.detect.processor import limit_instructions

# Before any module here loads torch: training in bf16 on a processor computes through oneDNN.
limit_instructions()


class _Stage(ModuleType):
    """This stage, which can be called: `deidlab.train` is also the public function that trains."""

    def __call__(self, *given: Any, **options: Any) -> Any:
        from deidlab.train.calling import train

        return train(*given, **options)


sys.modules[__name__].__class__ = _Stage
