/** Each route of a statistics page with this funnel, with a part of the response that only its numbers have. */
export const statisticsRoutes = (funnelId: string): readonly (readonly [path: string, sign: string])[] => [
  ['', 'data-metric'],
  ['/by/page', 'data-metric'],
  ['/by/page.csv', 'visitors'],
  ['/by/property?event=E&property=p', 'data-dimension="property"'],
  ['/by/property.csv?event=E&property=p', 'visitors'],
  ['/series.csv', 'visitors'],
  ['/goals.csv', 'goal'],
  [`/funnels/${funnelId}.csv`, 'of_first'],
  ['/suggestions?add=page', '<datalist'],
];
