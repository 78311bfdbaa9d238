import { readFileSync } from 'node:fs';

const KUBERNETES = 'config/kubernetes';
const OVERLAYS = `${KUBERNETES}/overlays`;

/** A kustomization reads no file from outside of its folder, so that each has its own copy. */
const COPIES = {
  [`${OVERLAYS}/one-picker/picker.yaml`]: 'config/epp/coordinator.yaml',
  [`${OVERLAYS}/picker-per-role/encode/picker.yaml`]: 'config/epp/encode.yaml',
  [`${OVERLAYS}/picker-per-role/prefill/picker.yaml`]: 'config/epp/prefill.yaml',
  [`${OVERLAYS}/picker-per-role/decode/picker.yaml`]: 'config/epp/decode.yaml',
  [`${OVERLAYS}/decode-sidecar/picker.yaml`]: 'config/epp/pd.yaml',
  [`${KUBERNETES}/components/decode-sidecar/sidecar.yaml`]: 'config/sidecar/pd.yaml',
};

/** What the kustomizations have of the rest of the repository. */
export function kustomize(root) {
  return Object.entries(COPIES).map(([path, source]) => ({ path, text: readFileSync(root + source, 'utf8') }));
}
