/** What every answer carries, besides its request id (decisions.md, "Errors"). */
export const COMMON_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
} as const;
