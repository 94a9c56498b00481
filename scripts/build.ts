import { execFileSync } from 'node:child_process'
import { cpSync, globSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** What the published package runs: JavaScript in `dist/`, for Node runs no TypeScript in node_modules, and the dashboard. */
const root = join(import.meta.dirname, '..')
rmSync(join(root, 'dist'), { recursive: true, force: true })
execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' })
// What the code reads beside itself at run time; the compiler leaves it behind.
for (const file of globSync('{src,simulator,demo}/**/*.json', { cwd: root, exclude: ['**/fixtures/**'] })) {
  cpSync(join(root, file), join(root, 'dist', file))
}
execFileSync(process.execPath, [join(root, 'scripts/build-dashboard.ts')], { cwd: root, stdio: 'inherit' })
