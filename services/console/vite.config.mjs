import tailwindcss from '@tailwindcss/vite';
import { defineConfig } from 'vite';

export default defineConfig({
  base: '/console/',
  plugins: [tailwindcss()],
  build: {
    target: 'es2023',
    rollupOptions: { input: ['index.html', 'operator.html'] },
    // read by the budgets, and served to no browser
    manifest: '.manifest.json',
    // no file becomes a data: address: the policy of the page allows few
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    cssCodeSplit: false,
    reportCompressedSize: false,
  },
});
