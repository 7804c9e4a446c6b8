export { createPages, type PagesDependencies } from './pages.ts';
