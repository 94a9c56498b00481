import type { EachBook, EachCall, EachDecision, EachEnd } from './each-book.ts'
import type { ValueBudget } from './value-budget.ts'

/** What a serving thread asks of the main one, which has the book of all. */
export type EachTasks = {
  eachHold(call: EachCall): EachDecision | Promise<EachDecision>
  eachHoldMore(call: EachCall): boolean | Promise<boolean>
  eachEnd(end: EachEnd): void
  eachLook(budgets: readonly ValueBudget[]): ReturnType<EachBook['look']>
}

export function eachTasks(book: EachBook): EachTasks {
  return {
    eachHold: (call) => book.hold(call),
    eachHoldMore: (call) => book.holdMore(call),
    eachEnd: (end) => book.end(end),
    eachLook: (budgets) => book.look(budgets),
  }
}

interface Asking {
  ask<Task extends keyof EachTasks>(
    task: Task,
    input: Parameters<EachTasks[Task]>[0],
  ): Promise<Awaited<ReturnType<EachTasks[Task]>>>
  tell(task: 'eachEnd', input: EachEnd): void
}

/** The book as a serving thread has it: decided in one place for all threads. */
export function threadBook(main: Asking): EachBook {
  return {
    hold: (call) => main.ask('eachHold', call),
    holdMore: (call) => main.ask('eachHoldMore', call),
    end: (end) => main.tell('eachEnd', end),
    look: (budgets) => main.ask('eachLook', budgets),
    async stop() {},
  }
}
