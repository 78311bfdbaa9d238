/**
 * The image of each app, by the name of its target in the Dockerfile. `data` are folders that are read at run time and that no import
 * names, by the module that reads them.
 */
export const IMAGES = {
  coordinator: { app: 'coordinator', data: {} },
  'endpoint-picker': {
    app: 'epp',
    // Envoy's definitions stay where they are written: the build copies nothing
    data: { 'dist/libs/ext-proc/src/protos.js': 'libs/ext-proc/proto' },
  },
  'decode-sidecar': { app: 'sidecar', data: {} },
  'async-worker': { app: 'async-worker', data: {} },
};

/** The compiled program of an app, from the root of the repository, and beneath `/app` in its image. */
export const mainOf = ({ app }) => `dist/apps/${app}/main.js`;
