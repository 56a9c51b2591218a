#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| runlog_fuzz::text(bytes));
