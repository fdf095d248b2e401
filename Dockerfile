# syntax=docker/dockerfile:1
# Full mode on NVIDIA GPUs. compose.yaml runs it; without compose:
#   docker build -t pytest-robustseiz .
#   docker run --rm --gpus all --network none -v /path/to/corpus:/data:ro -v /path/to/package:/model:ro \
#       -v robustseiz-output:/output -e ROBUSTSEIZ_ADAPTER=package.module:factory pytest-robustseiz

# The CUDA release that the wheel of torch in constraints.txt is built for.
FROM nvidia/cuda:13.0.1-runtime-ubuntu24.04 AS base
# Ubuntu's archive keeps only the newest build of a package, so that a pinned one would soon be gone.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --no-install-recommends --yes python3 python3-venv \
    && rm -rf /var/lib/apt/lists/*
ENV PATH=/opt/robustseiz/bin:$PATH

FROM base AS build
RUN python3 -m venv /opt/robustseiz
WORKDIR /src
COPY constraints.txt ./
# In a layer of its own, since it is large and changes rarely. From PyPI, where the wheel for Linux is that for CUDA: the
# pin has no "+cpu", and a wheel for the CPU alone, as a mirror may have it, stops the build.
RUN pip install --no-cache-dir --constraint constraints.txt torch \
    && python -c "import sys, torch; sys.exit(None if torch.version.cuda else f'torch {torch.__version__} is without CUDA')"
COPY LICENSE README.md pyproject.toml ./
COPY pytest_robustseiz pytest_robustseiz
COPY shifts shifts
COPY scoring scoring
COPY adapters adapters
RUN pip install --no-cache-dir --constraint constraints.txt '.[all]'

FROM base
LABEL org.opencontainers.image.title="pytest-robustseiz" \
      org.opencontainers.image.description="Robustness of an EEG seizure detector, in full mode on GPUs" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="0.1.0"
COPY --from=build /opt/robustseiz /opt/robustseiz
# /data: the corpus, mounted read-only; /model: what the detector needs, mounted read-only; /output: all that a run writes.
RUN useradd --uid 10001 --user-group --no-create-home --home-dir /output robustseiz \
    && install --directory --owner robustseiz --group robustseiz /output \
    && install --directory /data /model
ENV PYTHONPATH=/model \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1
USER 10001:10001
WORKDIR /output
# pytest ends on it as on Ctrl+C: what is done is written.
STOPSIGNAL SIGINT
# The detector is named by ROBUSTSEIZ_ADAPTER; more arguments of pytest stand behind the name of the image.
ENTRYPOINT ["pytest", "--pyargs", "pytest_robustseiz.suite", "--rootdir=/output", \
            "--robustseiz-mode=full", "--robustseiz-data=/data", "--robustseiz-device=cuda", \
            "--robustseiz-store=/output/store", "--robustseiz-output=/output/Results", \
            "--robustseiz-registry=/output/experiments_results.csv", "--robustseiz-report=/output/report.html"]
