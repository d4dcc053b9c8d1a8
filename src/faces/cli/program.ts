import { readFileSync } from 'node:fs'
import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { LEDGER_GROUPS, LOG_LEVELS, NOTICE_CHANNELS, NOTICE_PROVIDERS } from '../../host.ts'
import { CLI_FAMILIES, HTTP_APIS } from '../../index.ts'
import { inspectOption, withBareInspect } from './inspect-option.ts'
import type { Io } from './io.ts'
import { CHART_FORMATS, machines } from './machines.ts'
import { pageOption, showTextOption, withBarePage } from './page-option.ts'
import { EXIT, oneLine, report } from './problems.ts'

/**
 * Runs one command line (without the program's own name) and answers its exit code; never throws. A command is loaded when it is called: most
 * need nothing of what a gateway, a demo or a simulation is made of.
 */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  let code: number = EXIT.ok
  const program = programOf(io, async (work) => {
    code = await work()
  })
  try {
    await program.parseAsync([...withBarePage(withBareInspect(argv))], { from: 'user' })
    return code
  } catch (error) {
    // Commander has said it already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.badInput
    return report(error, io, argv.includes('--debug'))
  }
}

/** What an empty folder needs; without findings once both variables are set. */
const FIRST_SETTINGS = `
A relevo.yaml to start from:

  primary: openai.main
  profiles:
    openai.main: { model: gpt-4.1, apiKey: { env: OPENAI_API_KEY }, fallback: [anthropic.spare] }
    anthropic.spare: { model: claude-sonnet-4-5, apiKey: { env: ANTHROPIC_API_KEY } }
`

type Perform = (work: () => Promise<number>) => Promise<void>

function programOf(io: Io, perform: Perform): Command {
  const program = new Command('relevo')
    .description('Keeps an LLM turn going: it retries, waits or fails over by rules you can read.')
    .version(version())
    .option('--config <file>', 'settings file; else relevo.yaml, .yml or .json here or above')
    .addOption(new Option('--log-level <level>', 'structured log on stderr').choices([...LOG_LEVELS]).default('silent'))
    .option('--debug', 'print the stack of an error')
  // Before the commands are added, so that they inherit it.
  program
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      outputError: (text, write) => write(`${oneLine(text.trim()).replace(/[^.?)]$/, '$&.')} See relevo --help.\n`),
    })
  addRunning(program, io, perform)
  addServing(program, io, perform)
  addTeam(program, io, perform)
  addTeamFiles(program, io, perform)
  addAsking(program, io, perform)
  addReading(program, io, perform)
  return program
}

function addRunning(program: Command, io: Io, perform: Perform): void {
  program
    .command('demo')
    .description('see it work: providers and coding-agent CLIs, played on this machine; no key, no network')
    .option('--json', 'the events, a line each')
    .addOption(new Option('--speed <times>', 'times as fast as the wall clock').argParser(speed).default(1))
    .addOption(pageOption())
    .addOption(showTextOption())
    .option('--record <file>', 'write down what happens, to be opened in the page')
    .addOption(inspectOption())
    .action((options) => perform(async () => (await import('./demo.ts')).demo(io, options)))
  program
    .command('turn')
    .description('one turn on the configured profiles or on coding-agent CLIs, streamed to the terminal')
    .argument('[prompt]', 'what to ask, behind -- where it begins with -; standard input when left out')
    .option('--model <model>', 'a model, or hint:<name>')
    .addOption(
      new Option(
        '--engine <name>',
        `a coding-agent CLI to run on instead of the primary: ${CLI_FAMILIES.join(', ')}, with :model or without, or a profile id; again, or after a comma, for the next one`,
      ).argParser((name: string, before: readonly string[] | undefined) => [...(before ?? []), name]),
    )
    .option('--json', 'the events of the turn, a line each')
    .addOption(
      new Option('--sinks <kind>', 'event: print at once and never take back; draft: print when it is final')
        .choices(['event', 'draft'])
        .default('event'),
    )
    .addOption(inspectOption())
    .action((prompt: string | undefined, _, command: Command) =>
      perform(async () => (await import('./turn.ts')).turn(io, prompt, command.optsWithGlobals())),
    )
}

function addServing(program: Command, io: Io, perform: Perform): void {
  program
    .command('serve')
    .description('the gateway for unmodified clients of OpenAI and Anthropic, and the page beside it')
    .addOption(new Option('--port <port>', 'port to listen on, 0 for any; that of the settings when left out').argParser(portNumber))
    .option('--host <address>', 'address to listen on; any but loopback needs `gateway.keys`')
    .addOption(inspectOption())
    .action((_, command: Command) => perform(async () => (await import('./serve.ts')).serve(io, command.optsWithGlobals())))
}

function portNumber(text: string): number {
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new InvalidArgumentError('Give a number from 0 to 65535.')
  return port
}

const FOLDER = 'folder of the team; the nearest with a settings file when left out'

function addTeam(program: Command, io: Io, perform: Perform): void {
  program
    .command('run')
    .description('put the team of a folder to work, until it is told to stop')
    .argument('[dir]', FOLDER)
    .option('--once', 'one turn and no more; exit 1 nothing posted, 3 paused, 4 nobody can take it now')
    .option('--json', 'what happens, a line of JSON each, without any text of a post')
    .addOption(pageOption())
    .addOption(showTextOption())
    .option('--record <file>', 'write down what happens, to be opened in the page')
    .addOption(inspectOption())
    .action((folder: string | undefined, _, command: Command) =>
      perform(async () => (await import('./run.ts')).run(io, folder, command.optsWithGlobals())),
    )
  program
    .command('status')
    .description('how a running team stands; exit 3 paused, 4 nobody can take the turn')
    .argument('[dir]', FOLDER)
    .option('--json', 'as JSON')
    .action((folder: string | undefined, _, command: Command) =>
      perform(async () => (await import('./status.ts')).status(io, folder, command.optsWithGlobals())),
    )
  for (const [name, text] of [
    ['pause', 'pause a running team; a call in flight is let end'],
    ['resume', 'go on after a pause'],
  ] as const) {
    program
      .command(name)
      .description(text)
      .argument('[dir]', FOLDER)
      .action((folder: string | undefined, _, command: Command) =>
        perform(async () => (await import('./control.ts'))[name](io, folder, command.optsWithGlobals())),
      )
  }
  program
    .command('stop')
    .description('end a running team, and wait for that; a call in flight is let end')
    .argument('[dir]', FOLDER)
    .option('--now', 'break off the call in flight')
    .action((folder: string | undefined, _, command: Command) =>
      perform(async () => (await import('./control.ts')).stop(io, folder, command.optsWithGlobals())),
    )
  program
    .command('say')
    .description('post to the thread of a running team')
    .argument('[text]', 'the message, behind -- where it begins with -; standard input for - or when left out')
    .argument('[dir]', FOLDER)
    .action((text: string | undefined, folder: string | undefined, _, command: Command) =>
      perform(async () => (await import('./control.ts')).say(io, text, folder, command.optsWithGlobals())),
    )
  program
    .command('approve')
    .description('grant what a participant asked for')
    .argument('<participant>', 'its id')
    .argument('[dir]', FOLDER)
    .action((id: string, folder: string | undefined, _, command: Command) =>
      perform(async () => (await import('./control.ts')).approve(io, id, folder, command.optsWithGlobals())),
    )
}

function addTeamFiles(program: Command, io: Io, perform: Perform): void {
  program
    .command('init')
    .description('write a small team to start from')
    .argument('[dir]', 'folder to write it to; this one when left out')
    .action((folder: string | undefined) => perform(async () => (await import('./init.ts')).init(io, folder)))
  program
    .command('team')
    .description('the files of a team')
    .command('edit')
    .description("the path of a participant's file, opened in $VISUAL or $EDITOR on a terminal")
    .argument('<participant>', 'its id')
    .argument('[dir]', FOLDER)
    .action((id: string, folder: string | undefined, _, command: Command) =>
      perform(async () => (await import('./team.ts')).editParticipant(io, id, folder, command.optsWithGlobals())),
    )
}

function addAsking(program: Command, io: Io, perform: Perform): void {
  program
    .command('check')
    .description('what is wrong with the settings, and with participants of a team beside them; exit 2 with errors')
    .argument('[file]', 'settings file')
    .option('--strict', 'exit 1 with warnings')
    .option('--json', 'as JSON')
    .addHelpText('after', FIRST_SETTINGS)
    .action((file: string | undefined, _, command: Command) =>
      perform(async () => (await import('./check.ts')).check(io, file, command.optsWithGlobals())),
    )
  program
    .command('plan')
    .description('what a turn would try, in which order, and why not; calls nobody')
    .argument('[model]', 'a model, or hint:<name>')
    .option('--json', 'as JSON')
    .option('--effort <prompt>', 'the prompt whose effort picks a route')
    .option('--tools', 'for a call that sends tools')
    .option('--jsonl', 'one {"id","config","ask"} a line in, one plan a line out')
    .action((model: string | undefined, _, command: Command) =>
      perform(async () => (await import('./plan.ts')).plan(io, model, command.optsWithGlobals())),
    )
  program
    .command('simulate')
    .description('run scenarios through the kernel in virtual time and print their traces')
    .argument('[files...]', 'scenario files, each with one document or a list; - for standard input')
    .option('--expect', 'compare with what the scenario expects; exit 1 with the differences')
    .option('--jsonl', 'one scenario a line in, one trace a line out')
    .option('--record <file>', 'write down what happens in a single scenario, to be opened in the page')
    .action((files: string[], options) => perform(async () => (await import('./simulate.ts')).simulate(io, files, options)))
  program
    .command('ledger')
    .description('attempts, tokens and cost, as a ledger has them')
    .argument('[file]', 'ledger; that of the settings when left out, else .relevo/ledger.jsonl here')
    .option('--since <when>', 'attempts that started then or later: an ISO 8601 instant, or how long ago, as 90m, 24h, 7d, 4w')
    .addOption(new Option('--by <group>', 'what to sum by').choices([...LEDGER_GROUPS]).default('profile'))
    .option('--caller <id>', 'only what this caller asked for, such as the id of a key of the gateway')
    .option('--zone <zone>', 'time zone of the days of --by day, such as Europe/Madrid; UTC when left out')
    .option('--json', 'as JSON, costs in whole pico-USD')
    .action((file: string | undefined, _, command: Command) =>
      perform(async () => (await import('./ledger.ts')).ledger(io, file, command.optsWithGlobals())),
    )
  program
    .command('machines')
    .description('the charts, drawn from the machines that run')
    .addArgument(new Argument('[name]', 'one chart; all when left out'))
    .addOption(new Option('--format <format>', 'how to draw').choices([...CHART_FORMATS]).default('mermaid'))
    .action((name: string | undefined, options) => perform(() => machines(io, name, options)))
}

function addReading(program: Command, io: Io, perform: Perform): void {
  const read = program.command('read').description('how relevo reads what a provider sent')
  read
    .command('failure')
    .description('an error answer on standard input: {"status","headers","body","api","now"} or {"code"}')
    .option('--jsonl', 'one a line in, one a line out')
    .action((options) => perform(async () => (await import('./read.ts')).readFailures(io, options)))
  read
    .command('notice')
    .description('what a coding-agent CLI printed, on standard input: its limits, with their reset, and other failures')
    .option('--provider <name>', `which CLI: ${NOTICE_PROVIDERS.join(', ')}`)
    .option('--now <instant>', 'when it was printed, ISO 8601; the present instant when left out')
    .option('--zone <zone>', 'time zone of the CLI, such as Europe/Madrid; UTC when left out')
    .option('--channel <name>', `where it was printed: ${NOTICE_CHANNELS.join(', ')}; told by its look when left out`)
    .option('--exit <code>', 'exit code of the CLI; unknown when left out')
    .option('--jsonl', 'one {"id","provider","channel","raw","now","tz","exitCode","killed"} a line in, one answer a line out')
    .action((options) => perform(async () => (await import('./read-notice.ts')).readNotices(io, options)))
  read
    .command('stream')
    .description('a response body on standard input, as events; exit 1 when it failed')
    .option('--api <name>', `protocol of the bytes: ${HTTP_APIS.join(', ')}`)
    .option('--lenient', 'take an end after a stop reason as complete')
    .option('--jsonl', 'one {"id","api","completion","base64"} a line in, one {"id","events",…} a line out')
    .action((options) => perform(async () => (await import('./read.ts')).readStreams(io, options)))
}

function speed(text: string): number {
  const times = Number(text)
  if (!(times > 0 && times <= 100)) throw new InvalidArgumentError('Give a number above 0, at most 100.')
  return times
}

/** Of the package's own manifest, which stands above this file both in the sources and in the build. */
function version(): string {
  for (let folder = new URL('.', import.meta.url); ; folder = new URL('..', folder)) {
    try {
      const manifest = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8'))
      if (manifest.name === 'relevo') return manifest.version
    } catch {
      // No manifest here; the next folder may have it.
    }
    if (folder.pathname === '/' || new URL('..', folder).href === folder.href) return 'unknown'
  }
}
