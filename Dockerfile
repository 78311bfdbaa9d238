# The coordinator alone, on production packages, as a user that owns nothing.
# The image's own Node is used, so the optional packages that pin one stay out.

FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=optional --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY libs libs
COPY apps/coordinator apps/coordinator
RUN npx tsc -b apps/coordinator/tsconfig.app.json \
 && find dist -name '*.tsbuildinfo' -delete
RUN npm prune --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund

FROM node:24-bookworm-slim
# nothing is installed in here, so nothing that installs is left either
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /opt/yarn*
ENV NODE_ENV=production
WORKDIR /app
COPY package.json LICENSE ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
USER 65532:65532
EXPOSE 8080 9090
# a small young generation: memory that is level from the first minute on, at no cost that shows
ENTRYPOINT ["node", "--max-semi-space-size=16", "dist/apps/coordinator/main.js"]
CMD ["--config", "/etc/coordinator/coordinator.yaml"]
