import { parse } from 'yaml';
import type { KubernetesObject } from '../e2e/support/kubernetes.api.ts';
import { dataOf, podsOf } from './manifests.ts';
import type { ManifestPod } from './manifests.ts';

/** A decode pod that keeps to the restricted standard, with the engine alone. */
const ENGINE = {
  securityContext: { runAsNonRoot: true, runAsUser: 2000, seccompProfile: { type: 'RuntimeDefault' } },
  containers: [
    {
      name: 'vllm',
      image: 'vllm/vllm-openai',
      securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
    },
  ],
};

/** Decode pods with the patches that objects have for them; none where there are no patches. */
export function decodePods(objects: readonly KubernetesObject[]): readonly ManifestPod[] {
  return objects
    .filter(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.endsWith('-sidecar-patch'))
    .flatMap((object) => {
      // what the chart writes; the outcome is checked
      const patch = parse(dataOf(object)['patch.yaml'] ?? '') as {
        spec: { template: { metadata: object; spec: object } };
      };
      const { metadata, spec } = patch.spec.template;
      const template = { metadata: { ...metadata, labels: { role: 'decode' } }, spec: { ...ENGINE, ...spec } };
      return podsOf([{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'decode' }, spec: { template } }]);
    });
}
