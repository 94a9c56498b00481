import { cpSync, existsSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')

/** A copy to build in: in place, a build would remove `dist/` while other processes use it. */
export function copyProject(folder: string): void {
  const { files } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { files: string[] }
  const wanted = [
    ...files,
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'scripts',
    'src',
    'simulator',
    'demo',
    'prove',
    'dashboard',
  ]
  for (const name of wanted.filter((file) => file !== 'dist' && existsSync(join(ROOT, file)))) {
    cpSync(join(ROOT, name), join(folder, name), { recursive: true })
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
}
