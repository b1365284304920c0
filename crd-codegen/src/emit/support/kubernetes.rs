k8s_openapi::k8s_if_le_1_35! {
    compile_error!("these types need the feature `v1_36` of k8s-openapi, or a later one: earlier ones drop fields");
}
