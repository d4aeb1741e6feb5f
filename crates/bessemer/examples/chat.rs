//! A chat with the model's own template: `chat MODEL`, then a line at a time.

use bessemer::llm::{
    GenerateOptions, SessionOptions,
    template::{Chat, Message},
};
use std::{
    env,
    error::Error,
    io::{Write, stdin, stdout},
};

fn main() -> Result<(), Box<dyn Error>> {
    let model = env::args().nth(1).ok_or("usage: chat MODEL")?;
    let llm = bessemer::open_llm(&model)?;
    let mut session = llm.session(SessionOptions { context: Some(2048), ..Default::default() })?;
    let mut chat = Chat::new([Message::system("You are kind and brief.")]);
    for line in stdin().lines() {
        chat.messages.push(Message::user(&line?));
        // The session has all of the chat but what is new: only that goes through the model.
        let mut answer = String::new();
        for piece in llm.chat(&mut session, &chat, &GenerateOptions::default())? {
            let piece = piece?;
            print!("{piece}");
            stdout().flush()?;
            answer += &piece;
        }
        println!();
        chat.messages.push(Message::assistant(&answer));
    }
    Ok(())
}
