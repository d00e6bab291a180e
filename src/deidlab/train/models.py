"""A model's name in, its weights and tokenizer out; and back into a folder.

A name is a local folder, an embedded model, a model that the zoo knows (from scratch, or its weights from the
hub), or a hub id. Of an embedded model, and of a folder of `deidlab export`, the weights are rebuilt.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deidlab.detect.embedded import EMBEDDED, embedded_folder
from deidlab.detect.folder import SHAPES_KEY, is_export, is_run, read_tagger
from deidlab.encode.pieces import WordPieces
from deidlab.errors import ConfigError, MissingExtraError, ModelError
from deidlab.labels import LabelSet
from deidlab.zoo.configs import find_model, load_model_facts
from deidlab.zoo.hub import loading_options

if TYPE_CHECKING:
    from transformers import PretrainedConfig

LEARN = "learn"
"""Stands for a tokenizer that is learned from the training notes."""

_DROPOUTS = (
    "hidden_dropout_prob", "attention_probs_dropout_prob", "classifier_dropout", "classifier_dropout_prob",
    "dropout", "attention_dropout", "embedding_dropout", "mlp_dropout",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ModelSource:
    """Where a run's model comes from.

    `name` is a folder, an embedded or known model or a hub id; `scratch` starts it with random weights;
    `tokenizer` is a folder, a tokenizer.json, a hub id or `learn`, and is the model's own where left empty.
    """

    name: str
    scratch: bool = False
    tokenizer: str = ""

    @property
    def is_folder(self) -> bool:
        return self.name in EMBEDDED or Path(self.name).is_dir()

    def __post_init__(self) -> None:
        if self.scratch and not self.is_folder:
            load_model_facts(self.name)

    @property
    def location(self) -> str:
        """The folder, or the hub's id for a name that the zoo knows."""
        if self.name in EMBEDDED:
            return str(embedded_folder(self.name))
        if self.is_folder:
            return self.name
        known = find_model(self.name)
        hub_ids = [alias for alias in known.aliases if "/" in alias] if known else []
        return hub_ids[0] if hub_ids else self.name


@contextlib.contextmanager
def _quiet_transformers() -> Iterator[Any]:
    """The transformers module, told to keep its remarks to itself."""
    try:
        import transformers
    except ImportError:
        raise MissingExtraError("building a model", "train") from None
    logging = transformers.utils.logging
    level = logging.get_verbosity()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield transformers
    finally:
        logging.set_verbosity(level)
        logging.enable_progress_bar()


def load_config(source: ModelSource) -> Any:
    """The transformers configuration, without any code from the hub."""
    with _quiet_transformers() as transformers:
        if source.scratch and not source.is_folder:
            known = load_model_facts(source.name)
            return transformers.AutoConfig.for_model(known.family, **known.config)
        try:
            how = loading_options(source.location)
            return transformers.AutoConfig.from_pretrained(source.location, **how)
        except Exception:
            raise _not_found(source) from None


def load_pieces(source: ModelSource) -> WordPieces:
    """The tokenizer; one that is to be learned is not here but in `vocabulary`."""
    place = source.tokenizer or source.location
    if not source.tokenizer and source.scratch and not source.is_folder:
        raise ConfigError(
            f"a {source.name} from scratch needs a tokenizer: give its folder with --tokenizer, or learn one "
            f"from the training notes with --tokenizer {LEARN}"
        )
    file = Path(place) / "tokenizer.json" if Path(place).is_dir() else Path(place)
    if file.is_file():
        return WordPieces.from_file(file)
    with _quiet_transformers() as transformers:
        try:
            how = loading_options(place)
            return WordPieces(transformers.AutoTokenizer.from_pretrained(place, **how))
        except ModelError:
            raise
        except Exception as error:
            hint = "; pip install sentencepiece protobuf" if "sentencepiece" in str(error).lower() else ""
            raise ModelError(f"no tokenizer could be loaded from '{place}'{hint}") from None


def build_model(
    source: ModelSource, config: PretrainedConfig, head: str, pieces: WordPieces, dropout: float | None
) -> Any:
    """The transformers model with a `TokenClassification` or `MaskedLM` head, in fp32."""
    for key in _DROPOUTS:
        if dropout is not None and hasattr(config, key):
            setattr(config, key, dropout)
    if source.scratch:
        config.vocab_size = pieces.n_vocabulary
        _point_specials(config, pieces)
    model = new_model(config, head, None if source.scratch else source)
    if model.get_input_embeddings().weight.shape[0] < pieces.n_vocabulary:
        raise ModelError(
            f"the tokenizer has more pieces ({pieces.n_vocabulary}) than the model has embeddings for"
        )
    return model


def new_model(config: PretrainedConfig, head: str, source: ModelSource | None = None) -> Any:
    """A model as it is trained, over packed rows where it can be: with random weights, or with a source's."""
    from deidlab.detect.packed.attention import PACKED, register_attention, supports_window
    from deidlab.detect.packed.fusing import fuse_layers

    register_attention()
    with _quiet_transformers() as transformers:
        auto = getattr(transformers, f"AutoModelFor{head}")
        if type(config) not in auto._model_mapping:
            raise ModelError(f"transformers has no {head} head for a model of type '{config.model_type}'")
        packs = supports_window(auto._model_mapping[type(config)])
        how = {"attn_implementation": PACKED} if packs else {}
        model = (
            auto.from_config(config, **how) if source is None else _load_weights(auto, source, config, how)
        )
    fuse_layers(model)
    return model


def name_tags(config: PretrainedConfig, labels: LabelSet) -> None:
    """Tell a configuration its tags."""
    config.num_labels = len(labels.tags)
    config.id2label = dict(enumerate(labels.tags))
    config.label2id = labels.tag_ids()


def _load_weights(auto: Any, source: ModelSource, config: PretrainedConfig, how: dict[str, str]) -> Any:
    import torch

    rebuilt = _rebuild(source)
    place: dict[str, Any] = {"pretrained_model_name_or_path": source.location}
    if rebuilt is None:
        place |= loading_options(source.location)
    else:
        auto, place = auto._model_mapping[type(config)], {
            "pretrained_model_name_or_path": None, "state_dict": rebuilt
        }  # fmt: skip
    try:
        model, info = auto.from_pretrained(
            config=config,
            dtype=torch.float32,
            ignore_mismatched_sizes=True,
            output_loading_info=True,
            **place,
            **how,
        )
    except Exception:
        raise _not_found(source) from None
    lacking = {str(key) for key in info["missing_keys"]}
    lacking |= {str(key[0] if isinstance(key, tuple) else key) for key in info["mismatched_keys"]}
    body = [key for key in lacking if key.startswith(f"{model.base_model_prefix}.") and ".pooler." not in key]
    if body:
        raise ModelError(
            f"{source.name}: {len(body)} of the encoder's tensors are missing or of another size"
        )
    return model


def _rebuild(source: ModelSource) -> dict[str, Any] | None:
    """The tensors of an export, named as in the run that it came from; None where the folder has a run's."""
    folder = Path(source.location)
    if not source.is_folder or not is_export(folder):
        return None
    from deidlab.detect.packed.loading import read_rebuilt

    return read_rebuilt(folder)


def load_shapes(source: ModelSource) -> Any:
    """The table over shapes of words that a tagger which is trained further has learned, if any."""
    if not source.is_folder or source.scratch:
        return None
    rebuilt = _rebuild(source)
    if rebuilt is not None:
        return rebuilt.get(SHAPES_KEY)
    folder = Path(source.location)
    if not is_run(folder):
        return None
    from deidlab.detect.packed.loading import read_extra

    return read_extra(folder, read_tagger(folder)).get(SHAPES_KEY)


def _not_found(source: ModelSource) -> ModelError:
    if source.is_folder:
        return ModelError(f"{source.name}: no model that transformers can load is in this folder")
    if find_model(source.name):
        return ModelError(
            f"the weights of {source.name} are not on this machine and could not be fetched: give a local "
            "folder, or train it from scratch with --from-scratch"
        )
    return ModelError(
        f"'{source.name}' is no folder, no model known by name, and could not be fetched from the hub"
    )


def _point_specials(config: PretrainedConfig, pieces: WordPieces) -> None:
    """A learned or foreign vocabulary has its special pieces at other places than the published one."""
    for key, names in (("pad_token_id", ("[PAD]", "<pad>")), ("bos_token_id", ("[CLS]", "<s>")),
                       ("eos_token_id", ("[SEP]", "</s>"))):  # fmt: skip
        found = next((place for name in names if (place := pieces.piece_id(name)) is not None), None)
        if found is not None and getattr(config, key, None) is not None:
            setattr(config, key, found)


def read_tagger_facts(folder: Path | str) -> dict[str, Any] | None:
    """What `tagger.json` in a run's folder says of its labels and windows; None in any other folder."""
    path = Path(folder) / "tagger.json"
    if not path.is_file():
        return None
    try:
        facts = json.loads(path.read_text("utf-8"))
        return facts if isinstance(facts, dict) else None
    except (OSError, ValueError, RecursionError):
        raise ModelError(f"{path}: not the description of a tagger") from None
