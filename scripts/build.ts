import { execFileSync } from 'node:child_process'
import { cpSync, globSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** The JavaScript of the published package, in `dist/`: Node does not run TypeScript inside node_modules. */
const root = join(import.meta.dirname, '..')
rmSync(join(root, 'dist'), { recursive: true, force: true })
execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' })
// What the code reads beside itself at run time; the compiler leaves it behind.
for (const file of globSync('{src,simulator,demo}/**/*.json', { cwd: root, exclude: ['**/fixtures/**'] })) {
  cpSync(join(root, file), join(root, 'dist', file))
}
