import { execFileSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'

/** The JavaScript of the published package, in `dist/`: Node does not run TypeScript inside node_modules. */
rmSync('dist', { recursive: true, force: true })
execFileSync('tsc', ['-p', 'tsconfig.build.json'], { stdio: 'inherit' })
cpSync('src/store/model-facts.json', 'dist/src/store/model-facts.json')
