import type { ImportFormat } from '@hitherto/domain/imports';

/** The products that files are from, as their makers write them. */
export const FORMAT_NAMES: Readonly<Record<ImportFormat, string>> = {
  hitherto: 'Hitherto',
  umami: 'Umami',
  goatcounter: 'GoatCounter',
  'simple-analytics': 'Simple Analytics',
  matomo: 'Matomo',
  'access-log': 'access logs',
  plausible: 'Plausible',
  fathom: 'Fathom',
};
