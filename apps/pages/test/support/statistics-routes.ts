/** Each route of a statistics page, with a part of the response that only its numbers have. */
export const STATISTICS_ROUTES: readonly (readonly [path: string, sign: string])[] = [
  ['', 'data-metric'],
  ['/by/page', 'data-metric'],
  ['/by/page.csv', 'visitors'],
  ['/by/property?event=E&property=p', 'data-dimension="property"'],
  ['/by/property.csv?event=E&property=p', 'visitors'],
  ['/series.csv', 'visitors'],
  ['/goals.csv', 'goal'],
  ['/suggestions?add=page', '<datalist'],
];
