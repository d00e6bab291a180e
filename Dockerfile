# Masks and serves without a network, and not as root: docs/deployment.md.
FROM python:3.12-slim AS build
WORKDIR /build
COPY requirements/pip.txt requirements/core.txt requirements/dev.txt requirements/
RUN python -m venv /opt/deidlab && /opt/deidlab/bin/pip install --no-cache-dir --requirement requirements/pip.txt
COPY pyproject.toml README.md LICENSE ./
COPY src src
# The versions that tests run on: as bounds, since the second file lists what tests alone need, too.
RUN /opt/deidlab/bin/pip install --no-cache-dir --constraint requirements/core.txt --constraint requirements/dev.txt '.[serve]'

FROM python:3.12-slim
RUN useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin deidlab \
    && install --directory --owner deidlab --mode 0700 /data
COPY --from=build /opt/deidlab /opt/deidlab
ENV PATH=/opt/deidlab/bin:$PATH PYTHONDONTWRITEBYTECODE=1 HF_HUB_OFFLINE=1
USER 10001
WORKDIR /data
EXPOSE 8000
ENTRYPOINT ["deidlab"]
CMD ["--help"]
