import type { KubeConfig } from '@kubernetes/client-node';

/** As kubectl finds it, or the pod's own. Imported when it is needed: it takes most of a second and 80 MB. @throws Error when there is no cluster in it */
export async function kubeConfig(): Promise<KubeConfig> {
  const { KubeConfig: Config } = await import('@kubernetes/client-node');
  const config = new Config();
  config.loadFromDefault();
  if (config.getCurrentCluster() === null) throw new Error('no Kubernetes cluster is configured');
  return config;
}
