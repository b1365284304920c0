# docker build -t crdkit . && docker run --rm -v "$PWD:/work" crdkit check crds
FROM rust:1-slim-bookworm AS build
WORKDIR /src
COPY . .
RUN cargo build --release --locked --package crdkit-cli && cp target/release/crdkit /crdkit

FROM gcr.io/distroless/cc-debian12:nonroot
COPY --from=build /crdkit /usr/local/bin/crdkit
WORKDIR /work
ENTRYPOINT ["crdkit"]
