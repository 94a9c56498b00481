import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { CONTRACT } from '../src/management/contract/contract.ts'

/**
 * The client's table of operations, read off the contract while building: method and path of each, without the schemas
 * and the library behind them.
 */
function operations(): Plugin {
  const name = 'virtual:operations'
  return {
    name: 'operations',
    resolveId: (id) => (id === name ? `\0${name}` : undefined),
    load(id) {
      if (id !== `\0${name}`) return undefined
      const rows = Object.entries(CONTRACT).map(([operation, { method, path }]) => [operation, [method, path]])
      return `export const OPERATIONS = ${JSON.stringify(Object.fromEntries(rows))}`
    },
  }
}

export default defineConfig({
  root: import.meta.dirname,
  base: '/dashboard/',
  plugins: [react(), operations()],
  // While working on it (`npm run dev:dashboard`): everything but the pages comes from a running gateway.
  server: { proxy: { '^/(?!dashboard)': process.env['SWITCHYARD_URL'] ?? 'http://127.0.0.1:8080' } },
  build: {
    // Every browser with CSS light-dark() and nesting: what Mantine and our own styles are written in.
    target: ['chrome125', 'firefox128', 'safari18'],
    outDir: 'dist',
    emptyOutDir: true,
    // The page forbids inline data in scripts and styles to be fetched from anywhere else; small files stay files.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    license: { fileName: 'licences.md' },
    rolldownOptions: {
      input: ['index.html', 'docs.html'].map((page) => `${import.meta.dirname}/${page}`),
      output: {
        // What most pages share comes as one file; what only some share is no part of the first visit.
        codeSplitting: {
          groups: [
            {
              name: 'kit',
              test: /node_modules|dashboard\/src\/(api|components|format|charts|theme)/,
              minShareCount: 8,
            },
          ],
        },
      },
    },
  },
})
