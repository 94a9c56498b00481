import { existsSync } from 'node:fs'
import { hostname } from 'node:os'

/** How this very program is called on the line that a person types, so that hints work as pasted. */
export function programName(
  environment: Readonly<Record<string, string | undefined>> = process.env,
  script: string = process.argv[1] ?? '',
  container: Container | null = containerHere(),
): string {
  const { npm_command: command, npm_package_name: project } = environment
  if (command === 'exec') return 'npx switchyard'
  if (command !== undefined) return project === 'switchyard' ? 'npm run -s switchyard --' : 'npx switchyard'
  if (/[/\\]switchyard(\.cmd)?$/.test(script)) return 'switchyard'
  if (container === null || script !== IN_IMAGE) return `node ${script}`
  // From outside, where its output is read. The key goes with it, unlike the address, which is another one inside.
  return `${container.tool} exec -e ADMIN_KEY ${container.id} node ${script}`
}

export interface Container {
  tool: 'docker' | 'podman'
  id: string
}

/** Where the image keeps the program: people use it through a shell in the container. */
const IN_IMAGE = '/app/dist/switchyard.js'

/** Both leave a file at the root and call the machine by the container's id, unless configured otherwise. */
export function containerHere(): Container | null {
  if (existsSync('/.dockerenv')) return { tool: 'docker', id: hostname() }
  return existsSync('/run/.containerenv') ? { tool: 'podman', id: hostname() } : null
}
