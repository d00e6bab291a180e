"""One setting and a corpus in, one run folder out: fine-tuning, further pretraining, export.

Light modules (`settings`, `presets`, `record`) load at once; those that need torch load it when imported.
"""

from deidlab.detect.processor import limit_instructions

# Before any module here loads torch: training in bf16 on a processor computes through oneDNN.
limit_instructions()
