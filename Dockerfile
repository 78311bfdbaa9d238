# An image for each app: --target coordinator, endpoint-picker, decode-sidecar or async-worker. docs/images.md says how to build them,
# what is in them and how to check that.

FROM node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d AS assembled
WORKDIR /source
COPY package.json package-lock.json LICENSE ./
# the base's own Node goes in, so the optional packages that pin one stay out
RUN npm ci --omit=optional --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY config/images config/images
COPY libs libs
COPY apps apps
RUN npx tsc -b apps/coordinator/tsconfig.app.json apps/epp/tsconfig.app.json apps/sidecar/tsconfig.app.json apps/async-worker/tsconfig.app.json
ARG SOURCE_DATE_EPOCH=0
RUN node config/images/assemble.mjs /image

# --target sboms --output FOLDER: what is in the images, beside them
FROM scratch AS sboms
COPY --from=assembled /image/*.cdx.json /

# what all of them have: no shell, no package manager, nothing that the user owns
FROM scratch AS system
COPY --from=assembled /image/system /
ARG VERSION=0.1.0
ARG REVISION=unknown
# the program says it in its metrics
ENV NODE_ENV=production BUILD_COMMIT=$REVISION
LABEL org.opencontainers.image.version=$VERSION \
      org.opencontainers.image.revision=$REVISION \
      org.opencontainers.image.licenses=Apache-2.0
USER 65532:65532

# the young generation of all of them is small: memory that is level from the first minute on, at no cost that shows
FROM system AS coordinator
COPY --from=assembled /image/coordinator /
LABEL org.opencontainers.image.title=inference-coordinator \
      org.opencontainers.image.description="Drives OpenAI-style requests through render, encode, prefill and decode"
EXPOSE 8080 9090
ENTRYPOINT ["/usr/local/bin/node", "--max-semi-space-size=16", "/app/dist/apps/coordinator/main.js"]
CMD ["--config", "/etc/coordinator/coordinator.yaml"]

FROM system AS endpoint-picker
COPY --from=assembled /image/endpoint-picker /
LABEL org.opencontainers.image.title=inference-endpoint-picker \
      org.opencontainers.image.description="Tells Envoy over ext_proc which pod serves a request"
EXPOSE 9002 9003 9090
ENTRYPOINT ["/usr/local/bin/node", "--max-semi-space-size=16", "/app/dist/apps/epp/main.js"]

FROM system AS decode-sidecar
COPY --from=assembled /image/decode-sidecar /
LABEL org.opencontainers.image.title=inference-decode-sidecar \
      org.opencontainers.image.description="Stands before a decode engine and has encode, prefill and decode run"
EXPOSE 8000
ENTRYPOINT ["/usr/local/bin/node", "--max-semi-space-size=16", "/app/dist/apps/sidecar/main.js"]

FROM system AS async-worker
COPY --from=assembled /image/async-worker /
LABEL org.opencontainers.image.title=inference-async-worker \
      org.opencontainers.image.description="Takes queued requests from Redis and has the coordinator serve them"
EXPOSE 8081 9090
ENTRYPOINT ["/usr/local/bin/node", "--max-semi-space-size=16", "/app/dist/apps/async-worker/main.js"]
CMD ["--config", "/etc/async-worker/async-worker.yaml"]

# without --target
FROM coordinator
