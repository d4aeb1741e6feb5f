//! The flags of how text is written: one for each setting that the library has.

use crate::fault::Fault;
use bessemer_llm::{
    Cancel, GenerateOptions, Llm, SETTINGS, Setting, Takes,
    sampling::{BadSetting, random_seed},
};
use clap::{
    Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches, builder::StringValueParser,
    builder::TypedValueParser,
};

/// How text is generated: the values that were given, in the order of the settings.
#[derive(Clone, Debug, Default)]
pub(crate) struct GenerateArgs {
    given: Vec<(&'static Setting, String)>,
}

const COMMON: &str = "Generation";
const FINER: &str = "Advanced sampling";

fn arg(setting: &'static Setting) -> Arg {
    let help = match setting.default {
        "" => setting.help.to_owned(),
        default => format!("{} [default: {default}]", setting.help),
    };
    let aliases = setting.aliases.iter().map(|alias| alias.replace('_', "-"));
    let arg = Arg::new(setting.name).long(setting.flag()).help(help);
    let arg = arg.aliases(aliases.collect::<Vec<_>>());
    let arg = arg.help_heading(if setting.finer { FINER } else { COMMON });
    let arg = setting.short.into_iter().fold(arg, Arg::short);
    let action = match setting.takes {
        Takes::Switch => return arg.action(ArgAction::SetTrue),
        Takes::Value => ArgAction::Set,
        Takes::Values => ArgAction::Append,
    };
    // Whether it can be read is known now; whether it is in range, once there is a vocabulary.
    let readable = StringValueParser::new().try_map(move |text| {
        let read = setting.set(&mut GenerateOptions::default(), &text);
        read.map(|()| text).map_err(|bad| format!("not {}", bad.rule))
    });
    arg.action(action).value_name(setting.value).allow_negative_numbers(true).value_parser(readable)
}

impl Args for GenerateArgs {
    fn augment_args(command: Command) -> Command {
        command.args(SETTINGS.iter().map(arg))
    }

    fn augment_args_for_update(command: Command) -> Command {
        GenerateArgs::augment_args(command)
    }
}

impl FromArgMatches for GenerateArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<GenerateArgs, Error> {
        let mut args = GenerateArgs::default();
        args.update_from_arg_matches(matches)?;
        Ok(args)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.given.clear();
        for setting in &SETTINGS {
            if setting.takes == Takes::Switch {
                let on = matches.get_flag(setting.name).then(|| (setting, "on".to_owned()));
                self.given.extend(on);
            } else if let Some(values) = matches.get_many::<String>(setting.name) {
                self.given.extend(values.map(|value| (setting, value.clone())));
            }
        }
        Ok(())
    }
}

impl GenerateArgs {
    /// The options, checked for a vocabulary.
    pub(crate) fn options(&self, llm: &Llm, cancel: &Cancel) -> Result<GenerateOptions, Fault> {
        let mut options = GenerateOptions { cancel: cancel.clone(), ..GenerateOptions::default() };
        options.sampling.seed = random_seed();
        for (setting, value) in &self.given {
            setting.set(&mut options, value).map_err(|bad| wrong(&bad))?;
        }
        options.sampling.check(llm.tokenizer().len()).map_err(|bad| wrong(&bad))?;
        Ok(options)
    }
}

/// A setting that makes no sense, by the flag it came from.
fn wrong(BadSetting { name, value, rule, .. }: &BadSetting) -> Fault {
    Fault::usage(format!("--{} {value}: not {rule}", name.replace('_', "-")))
}
