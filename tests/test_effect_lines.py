"""What a run says at its end of what the settings did to the input; results made by hand."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from registries import experiment

from pytest_robustseiz.achieved import attack_lines, change_text, effect_lines
from pytest_robustseiz.adapters import AttackOutcome
from pytest_robustseiz.change import InputChange
from pytest_robustseiz.results import CaseResult, ExperimentResult, RecordingResult, SettingInfo
from pytest_robustseiz.scoring import Counts, PredictionCounts
from pytest_robustseiz.shifts import ADC, AWGN, FGSM, PGDMicrovolts, Resample, Shift, paper_grid

HEADER = "what was done to the input, and each shift's own figures (mean over recordings):"
NO_SIGNAL = InputChange(0.0, 0.0, 0, 10)


def done(
    setting: Shift,
    changes: Sequence[InputChange],
    figures: Sequence[Mapping[str, float]] = (),
    outcome: AttackOutcome | None = None,
) -> ExperimentResult:
    """An experiment with one recording per change."""
    plain = experiment(setting, [Counts(1, 0, 1, 3600.0)] * len(changes))
    cases = []
    for case, change, own in zip(plain.cases, changes, figures or [{}] * len(changes), strict=True):
        recording = replace(case.recordings[0], change=change, figures=dict(own), outcome=outcome)
        cases.append(replace(case, recordings=(recording,)))
    return ExperimentResult(plain.setting, tuple(cases))


def outcome(largest: float, *, scaled: int = 0) -> AttackOutcome:
    return AttackOutcome(
        guided=True, unit="window", windows=1, outputs=1, before=0.5, after=0.4, gain=0.1, improved=1, worsened=0,
        without_gradient=0, undefined_gradient=0, largest_change=largest, change_energy_uv2=9.0 * scaled, scaled=scaled,
    )  # fmt: skip


def test_one_setting_with_its_own_figures() -> None:
    """RMS over 100 + 300 values: root of 1600 / 400; its own figures as means of both recordings."""
    changes = [InputChange(400.0, 2500.0, 10, 100), InputChange(1200.0, 7500.0, 30, 300)]
    figures = [
        {"step_uv": 0.5, "clipped_samples": 3.0, "effective_bits": 7.0},
        {"step_uv": 0.5, "clipped_samples": 5000.0, "effective_bits": 8.0},
    ]
    assert change_text(done(ADC(bits=8), changes, figures)) == (
        "2 uV RMS, 40% of the signal, 10% of samples, clipped samples 2502, effective bits 7.5, step 0.5 uV"
    )


@pytest.mark.parametrize(
    "figure, value, text",
    [
        ("measured_snr_db", 5.004, "measured SNR 5 dB"),
        ("measured_snr_db", 8.5e-8, "measured SNR 0 dB"),
        ("passband_hz", 22.5, "passband 22.5 Hz"),
        ("in_band_share", 0.99871, "in band share 99.9%"),
        ("noise_rms_ratio", 0.25, "noise RMS ratio 0.25"),
        ("dropped_channels", 4.0, "dropped channels 4"),
        ("edf_error_rms_uv", 0.0123, "EDF error RMS 0.0123 uV"),
        ("share", 0.5, "share 50%"),
    ],
)
def test_figures_carry_their_unit(figure: str, value: float, text: str) -> None:
    found = change_text(done(AWGN(snr_db=5.0), [InputChange(4.0, 16.0, 2, 4)], [{figure: value}]))
    assert found == f"1 uV RMS, 50% of the signal, 50% of samples, {text}"


def test_without_signal_there_is_no_share_of_it() -> None:
    assert change_text(done(AWGN(snr_db=5.0), [NO_SIGNAL])) == "0 uV RMS, 0% of samples"


def test_one_line_per_shift_with_the_range_over_its_settings() -> None:
    shifts = [
        done(AWGN(snr_db=20.0), [InputChange(1.0, 100.0, 4, 4)], [{"measured_snr_db": 20.0}]),
        done(AWGN(snr_db=0.0), [InputChange(100.0, 100.0, 4, 4)], [{"measured_snr_db": 0.0}]),
        done(Resample(rate_hz=50.0), [InputChange(4.0, 16.0, 3, 4)], [{"passband_hz": 22.5}]),
        done(AWGN(snr_db=10.0), [InputChange(10.0, 100.0, 4, 4)], [{"measured_snr_db": 10.0}]),
    ]
    assert effect_lines(shifts) == [
        HEADER,
        "  awgn (3 settings): 0.5 to 5 uV RMS, 10 to 100% of the signal, 100% of samples, measured SNR 0 to 20 dB",
        "  resample: 1 uV RMS, 50% of the signal, 75% of samples, passband 22.5 Hz",
    ]


def test_a_figure_that_some_settings_lack_is_that_of_the_others() -> None:
    shifts = [done(AWGN(snr_db=20.0), [NO_SIGNAL]), done(AWGN(snr_db=0.0), [NO_SIGNAL], [{"measured_snr_db": 0.0}])]
    assert effect_lines(shifts)[1] == "  awgn (2 settings): 0 uV RMS, 0% of samples, measured SNR 0 dB"


def test_attacks_are_told_in_the_unit_of_what_they_attack() -> None:
    untouched = [InputChange(0.0, 16.0, 0, 4)]
    attacks = [
        done(FGSM(epsilon=0.1, mode="flip"), untouched, outcome=outcome(0.1)),
        done(FGSM(epsilon=0.5, mode="flip"), untouched, outcome=outcome(0.5, scaled=4)),
        done(
            PGDMicrovolts(epsilon_uv=2.0, mode="flip"),
            [InputChange(4.0, 16.0, 4, 4)],
            outcome=replace(outcome(2.0), unit="uV"),
        ),
    ]
    assert effect_lines(attacks)[1:] == [
        "  fgsm (2 settings): at most 0.1 to 0.5 in the unit of the detector's windows, 3 uV RMS",
        "  pgd_uv: 1 uV RMS, 50% of the signal, 100% of samples",
    ]


def test_a_whole_grid_makes_a_line_per_shift() -> None:
    grid = [done(setting, [InputChange(4.0, 16.0, 4, 4)]) for setting in paper_grid()[1:]]
    assert len(effect_lines(grid)) == 1 + len({setting.name for setting in paper_grid()[1:]}) == 15


def test_nothing_to_tell() -> None:
    assert effect_lines([]) == []


def test_the_strongest_attack_on_a_predictor_is_told_by_its_own_figures() -> None:
    outcome = AttackOutcome(
        guided=True, unit="window", windows=10, outputs=10, before=2.0, after=8.0, gain=6.0, improved=10, worsened=0,
        without_gradient=0, undefined_gradient=0, largest_change=0.1,
    )  # fmt: skip
    counts = PredictionCounts(
        confusion=((6, 2, 0), (0, 2, 0), (0, 0, 0)), alarms=1, spaced_alarms=1, seizures=1, missed=0, warned=1,
        preictal_windows=(2,), lead_times_s=(2.0,),
    )  # fmt: skip
    info = SettingInfo("fgsm-x", "fgsm", "adversarial", "{}")
    recording = RecordingResult(
        folder="sub-01/eeg", stem="sub-01", content="", duration_s=10.0, start=None, seizures=1,
        change=InputChange(0.0, 1.0, 0, 1), figures={}, notes=(), outcome=outcome,
    )  # fmt: skip
    attacked = ExperimentResult(info, (CaseResult("sub-01", info, (recording,), counts),))
    [line] = attack_lines({"fgsm-x": attacked})
    # Recall 6/8 of interictal and 2/2 of preictal windows.
    assert line.endswith("mean probability 0.2000 to 0.8000, balanced accuracy 0.875, specificity 0.750")
