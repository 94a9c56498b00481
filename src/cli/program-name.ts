/** How this very program is called on the line that a person types, so that hints work as pasted. */
export function programName(
  environment: Readonly<Record<string, string | undefined>> = process.env,
  script: string = process.argv[1] ?? '',
): string {
  const { npm_command: command, npm_package_name: project } = environment
  if (command === 'exec') return 'npx switchyard'
  if (command !== undefined) return project === 'switchyard' ? 'npm run -s switchyard --' : 'npx switchyard'
  return /[/\\]switchyard(\.cmd)?$/.test(script) ? 'switchyard' : `node ${script}`
}
