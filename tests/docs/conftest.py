"""The table that the pages call table.csv."""

import pytest
from sklearn.datasets import load_breast_cancer


@pytest.fixture
def breast_cancer_csv(tmp_path):
    """table.csv with the columns of scikit-learn's breast cancer data and a label, diagnosis."""
    frame = load_breast_cancer(as_frame=True).frame.rename(columns={"target": "diagnosis"})
    path = tmp_path / "table.csv"
    frame.to_csv(path, index=False)
    return path
