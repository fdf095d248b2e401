"""The network of SeizureTransformer: a U-Net of 1-D convolutions with residual blocks and a transformer at its bottom.

After Wu, Zhao and Yener 2025, "SeizureTransformer: Scaling U-Net with Transformer for Simultaneous Time-Step Level
Seizure Detection from Long EEG Recordings", arXiv 2504.00336. Names and shapes of the weights are those of the authors'
release, keruiwu/SeizureTransformer, so that its state dict fits.
"""

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

N_CHANNELS = 19
FILTERS = (32, 64, 128, 256, 512)
KERNELS = (11, 9, 7, 7, 5, 5, 3)  # the encoder takes them from the left, the decoder from the right
RESIDUAL_KERNELS = (3, 3, 3, 3, 2, 3, 2)
MOST_TOKENS = 6000  # positions that the release has a code for
NORM_EPS = 1e-3


class SeizureTransformer(nn.Module):
    """Maps EEG windows to a logit per sample.

    Parameters
    ----------
    n_channels : int
        Rows of a window.
    filters : sequence of int
        Channels after each level of the encoder, one to five; the last is the width of the transformer.
    n_layers, n_heads, n_hidden : int
        Layers of the transformer, heads and hidden units in each.
    dropout : float
        Of all dropout layers.
    """

    def __init__(
        self,
        *,
        n_channels: int = N_CHANNELS,
        filters: Sequence[int] = FILTERS,
        n_layers: int = 8,
        n_heads: int = 4,
        n_hidden: int = 2048,
        dropout: float = 0.1,
    ) -> None:
        super().__init__()
        width = filters[-1]
        self.encoder = Encoder(n_channels, filters)
        self.res_cnn_stack = ResidualStack(width, dropout)
        self.position_encoding = PositionEncoding(width, dropout)
        # The released state dict also has the layer that its eight were copied from; it takes no part.
        self.transformer_encoder_layer = nn.TransformerEncoderLayer(width, n_heads, n_hidden, dropout, batch_first=True)
        self.transformer_encoder = nn.TransformerEncoder(
            self.transformer_encoder_layer, n_layers, enable_nested_tensor=False
        )
        self.decoder_d = Decoder(filters)
        self.conv_d = nn.Conv1d(filters[0], 1, kernel_size=11, padding=5)

    def forward(self, windows: Tensor) -> Tensor:
        """Logit of seizure of each sample; the release returns its sigmoid.

        Parameters
        ----------
        windows : Tensor, shape (n_batch, n_channels, n_window_samples)
            Normalised and filtered.

        Returns
        -------
        Tensor, shape (n_batch, n_window_samples)

        Raises
        ------
        ValueError
            When the samples cannot be halved once per level of the encoder, or are more than there are positions for.
        """
        self._require_length(windows.shape[-1])
        bottom, skips = self.encoder(windows)
        local = self.res_cnn_stack(bottom)
        tokens = self.transformer_encoder(self.position_encoding(local.transpose(1, 2)))
        logits: Tensor = self.conv_d(self.decoder_d(tokens.transpose(1, 2) + local, skips))
        return logits[:, 0]

    def _require_length(self, n_samples: int) -> None:
        shrink = 2 ** len(self.encoder.convs)
        if n_samples % shrink or n_samples > shrink * MOST_TOKENS:
            raise ValueError(
                f"windows: expected a multiple of {shrink} samples, at most {shrink * MOST_TOKENS}, got {n_samples}"
            )


class Encoder(nn.Module):
    """Convolutions, each followed by halving; what each saw before the halving is kept for the decoder.

    Parameters
    ----------
    n_channels : int
    filters : sequence of int
    """

    def __init__(self, n_channels: int, filters: Sequence[int]) -> None:
        super().__init__()
        self.convs = _convolutions([n_channels, *filters], KERNELS)

    def forward(self, signal: Tensor) -> tuple[Tensor, list[Tensor]]:
        """Features at the lowest rate, and those of each level."""
        skips = []
        for conv in self.convs:
            skips.append(functional.elu(conv(signal)))
            signal = functional.max_pool1d(skips[-1], 2)
        return signal, skips


class Decoder(nn.Module):
    """Doubling, each followed by a convolution, to which the features of the encoder at that rate are added.

    Parameters
    ----------
    filters : sequence of int
        As the encoder has them.
    """

    def __init__(self, filters: Sequence[int]) -> None:
        super().__init__()
        self.convs = _convolutions([filters[-1], *filters[::-1]], KERNELS[::-1])

    def forward(self, signal: Tensor, skips: Sequence[Tensor]) -> Tensor:
        """Features at the rate of the window."""
        for conv, skip in zip(self.convs, reversed(skips), strict=True):
            doubled = functional.interpolate(signal, scale_factor=2, mode="nearest")
            signal = functional.elu(conv(doubled)) + skip
        return signal


def _convolutions(sizes: Sequence[int], kernels: Sequence[int]) -> nn.ModuleList:
    levels = zip(sizes[:-1], sizes[1:], kernels, strict=False)  # there are more kernels than levels
    return nn.ModuleList(nn.Conv1d(inputs, outputs, kernel, padding=kernel // 2) for inputs, outputs, kernel in levels)


class ResidualStack(nn.Module):
    """Residual blocks, one after the other.

    Parameters
    ----------
    width : int
    dropout : float
    """

    def __init__(self, width: int, dropout: float) -> None:
        super().__init__()
        self.members = nn.ModuleList(ResidualBlock(width, kernel, dropout) for kernel in RESIDUAL_KERNELS)

    def forward(self, signal: Tensor) -> Tensor:
        """Features of the same shape."""
        for member in self.members:
            signal = member(signal)
        return signal


class ResidualBlock(nn.Module):
    """Twice normalisation, rectification, dropout of whole channels and convolution, beside the signal itself.

    Parameters
    ----------
    width, kernel : int
    dropout : float
    """

    def __init__(self, width: int, kernel: int, dropout: float) -> None:
        super().__init__()
        # As "same" padding in TensorFlow, an even kernel has its extra sample on the right.
        self.padding = ((kernel - 1) // 2, kernel // 2)
        self.norm1 = nn.BatchNorm1d(width, eps=NORM_EPS)
        self.conv1 = nn.Conv1d(width, width, kernel)
        self.norm2 = nn.BatchNorm1d(width, eps=NORM_EPS)
        self.conv2 = nn.Conv1d(width, width, kernel)
        self.dropout = nn.Dropout1d(dropout)

    def forward(self, signal: Tensor) -> Tensor:
        """Features of the same shape."""
        change = signal
        for norm, conv in ((self.norm1, self.conv1), (self.norm2, self.conv2)):
            change = conv(functional.pad(self.dropout(functional.relu(norm(change))), self.padding))
        return signal + change


class PositionEncoding(nn.Module):
    """Adds sines and cosines of the position (Vaswani et al. 2017, arXiv 1706.03762).

    Parameters
    ----------
    width : int
        Even.
    dropout : float
    """

    pe: Tensor

    def __init__(self, width: int, dropout: float) -> None:
        super().__init__()
        rates = torch.exp(torch.arange(0, width, 2) * (-math.log(10000.0) / width))
        angles = torch.arange(MOST_TOKENS)[:, None] * rates
        codes = torch.stack([torch.sin(angles), torch.cos(angles)], dim=-1).flatten(1)
        self.register_buffer("pe", codes[:, None])
        self.dropout = nn.Dropout(dropout)

    def forward(self, tokens: Tensor) -> Tensor:
        """Tokens with their place, shape (n_batch, n_tokens, width)."""
        placed: Tensor = self.dropout(tokens + self.pe[: tokens.shape[1], 0])
        return placed
