# Build: needs packages, which the image that runs does not: they are built in.
FROM node:24.21.0-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json ./
COPY scripts ./scripts
COPY src ./src
COPY simulator ./simulator
COPY demo ./demo
COPY prove ./prove
COPY dashboard ./dashboard
RUN npm run build && mkdir /data

FROM node:24.21.0-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/dist ./dist
COPY --from=build /app/dashboard/dist ./dashboard/dist
# A folder made here keeps its owner when a volume is mounted over it for the first time.
COPY --from=build --chown=node:node /data /data
# As npm start: docs/decisions/0009-built-program.md says why.
ENV NODE_OPTIONS=--max-semi-space-size=16
# glibc gives every thread its own arenas, which grow and do not shrink: docs/performance.md.
ENV MALLOC_ARENA_MAX=2
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/data
USER node
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/switchyard.js", "serve"]
