import type { OpenLogs } from '@hitherto/domain/imports';

/** Throws if the lines of a log name no host, which would tell their website. */
export function requireHosts({ hasHosts, files }: Pick<OpenLogs, 'hasHosts' | 'files'>): void {
  if (hasHosts) return;
  const paths = files.map(({ path }) => path).join(', ');
  throw new Error(
    `The lines of ${paths} name no host, so it is unknown which website they belong to. Name it with --website.`,
  );
}
