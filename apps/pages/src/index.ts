export { createPages, type PagesDependencies } from './pages.ts';
export { sendExplanation } from './shared/send-error.tsx';
