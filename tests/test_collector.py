"""The order in which the end of a run lists settings."""

from pytest_robustseiz.collector import in_grid_order


def test_the_default_grid_has_its_order_and_others_follow_by_size() -> None:
    labels = ["zz-a_10-b_2", "awgn-snr_db_-5", "awgn-snr_db_12.5", "zz-a_9-b_3", "awgn-snr_db_-10", "awgn-snr_db_0",
              "awgn-snr_db_20", "baseline", "drop_named-electrodes_O1+O2", "baseline"]  # fmt: skip
    assert in_grid_order(labels) == [
        "baseline", "awgn-snr_db_20", "awgn-snr_db_0",  # of the default grid, in order of severity
        "awgn-snr_db_-10", "awgn-snr_db_-5", "awgn-snr_db_12.5", "drop_named-electrodes_O1+O2",
        "zz-a_9-b_3", "zz-a_10-b_2",
    ]  # fmt: skip
