export type { AssetAddresses } from './components/frame.tsx';
export { StatisticsPage } from './components/statistics-page.tsx';
