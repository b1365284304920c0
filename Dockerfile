# The command line tool in an image of its own: docker run --rm -v "$PWD:/work" crdkit check .
# The digest keeps a tag that was moved from changing the build.
FROM rust:1-alpine@sha256:a10e64dd139b7387337c7fbe8aca31b959b57b2fd4c8ae20a02cf1d6ea424dce AS build
RUN apk add --no-cache musl-dev
WORKDIR /source
COPY . .
RUN cargo build --release --locked -p crdkit-cli --bin crdkit

FROM scratch
COPY --from=build /source/target/release/crdkit /usr/local/bin/crdkit
WORKDIR /work
USER 65532:65532
ENTRYPOINT ["/usr/local/bin/crdkit"]
