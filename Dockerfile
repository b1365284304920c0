# The command line tool in an image of its own: docker run --rm -v "$PWD:/work" crdkit check .
FROM rust:1-alpine AS build
RUN apk add --no-cache musl-dev
WORKDIR /source
COPY . .
RUN cargo build --release --locked -p crdkit-cli

FROM scratch
COPY --from=build /source/target/release/crdkit /usr/local/bin/crdkit
WORKDIR /work
USER 65532:65532
ENTRYPOINT ["/usr/local/bin/crdkit"]
