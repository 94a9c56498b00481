import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'

/** One shell into which blocks of a page are pasted one after the other, as a reader does. */
export interface PastedShell {
  /** All that the block printed; throws with it when its last command failed. */
  paste(block: string): Promise<string>
  end(): void
}

export interface ShellOptions {
  folder: string
  environment: Readonly<Record<string, string>>
}

export function openShell({ folder, environment }: ShellOptions): PastedShell {
  const child = spawn('bash', ['--norc', '--noprofile'], {
    cwd: folder,
    env: environment,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let printed = ''
  let onData: () => void = () => {}
  child.stdout.on('data', (chunk) => {
    printed += chunk
    onData()
  })
  const dead = new Promise<never>((_, reject) =>
    child.once('exit', () => reject(new Error(`the shell ended: ${printed}`))),
  )
  dead.catch(() => {})
  child.stdin.write('exec 2>&1\n')
  return {
    async paste(block) {
      const mark = randomBytes(8).toString('hex')
      const pattern = new RegExp(`^(.*)@${mark} (\\d+)\n`, 's')
      const answered = new Promise<RegExpExecArray>((resolve) => {
        onData = () => {
          const found = pattern.exec(printed)
          if (found !== null) resolve(found)
        }
      })
      child.stdin.write(`${block}\nprintf '@${mark} %s\\n' "$?"\n`)
      const [whole, output = '', status] = await Promise.race([answered, dead])
      printed = printed.slice(whole.length)
      if (status !== '0') throw new Error(`ended with ${status}:\n${block}\n${output}`)
      return output
    },
    end: () => void child.kill('SIGKILL'),
  }
}
