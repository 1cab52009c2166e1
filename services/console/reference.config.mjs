// @ts-check
import { defineConfig } from 'vite';

// The reference of the API at /docs: Redoc, bundled without what the policy of the page refuses (decision 125). A release of
// Redoc that has it elsewhere stops the build.
/** @type {readonly { what: string, pattern: RegExp, by: string }[]} */
const REPLACED = [
  {
    what: 'a picture of its makers, from their server',
    pattern: /"https:\/\/cdn\.redoc\.ly\/redoc\/logo-mini\.svg"/g,
    by: '"data:,"',
  },
  {
    what: 'the inline styles of scroll bars, which nativeScrollbars turns off',
    pattern: /\bs\.push\((?=\[e\.id,"\.ps\{)/g,
    by: 'void (',
  },
];

/** @returns {import('vite').Plugin} */
function withinThePolicy() {
  const found = new Map(REPLACED.map(({ what }) => [what, 0]));
  return {
    name: 'within the policy',
    enforce: 'pre',
    transform(code, id) {
      if (!id.includes('/node_modules/redoc/')) return undefined;
      for (const { what, pattern, by } of REPLACED)
        code = code.replace(pattern, () => {
          found.set(what, (found.get(what) ?? 0) + 1);
          return by;
        });
      return { code, map: null };
    },
    buildEnd(error) {
      if (error) return;
      for (const [what, times] of found)
        if (times !== 1) throw new Error(`Redoc has ${what} ${times} times, not once`);
    },
  };
}

export default defineConfig({
  publicDir: false,
  define: { 'process.env.NODE_ENV': '"production"' },
  plugins: [withinThePolicy()],
  build: {
    target: 'es2023',
    outDir: 'dist/reference',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: Infinity,
    rollupOptions: {
      input: 'src/reference/main.tsx',
      // names that the page of the gateway has
      output: { entryFileNames: 'reference.js', assetFileNames: 'reference[extname]', codeSplitting: false },
    },
  },
});
